type Fields = Record<string, unknown>;

/** What one document changes by; a field that is missing in the document changes nothing. */
export interface DocumentChange {
  $set?: Fields;
  $unset?: Fields;
}

export interface CollectionMigration {
  collection: string;
  /** Fields that no longer exist; indexes over them are dropped. */
  retiredFields: string[];
  /** Returns the change of a document in the old format, undefined if it is in the new format already. */
  change: (document: Fields) => DocumentChange | undefined;
}

/** Leads from one version of the stored format to the next. Safe to run again after an interruption. */
export type Migration = CollectionMigration[];

interface Rule {
  from: string;
  to?: string;
  value?: (old: unknown) => unknown;
}

/** Moves values from old fields to new ones; a rule without `to` removes the field. */
export function renaming(collection: string, rules: Rule[], defaults: Fields = {}): CollectionMigration {
  return {
    collection,
    retiredFields: rules.map(({ from }) => from),
    change: (document) => {
      const present = rules.filter(({ from }) => valueAt(document, from) !== undefined);
      if (present.length === 0) return undefined;
      const moved = present.flatMap(({ from, to, value = (old) => old }) =>
        to === undefined ? [] : [[to, value(valueAt(document, from))]],
      );
      const missing = Object.entries(defaults).filter(([field]) => valueAt(document, field) === undefined);
      const $set = Object.fromEntries([...missing, ...moved]) as Fields;
      const $unset = Object.fromEntries(present.map(({ from }) => [from, 1]));
      return { ...(Object.keys($set).length > 0 && { $set }), $unset };
    },
  };
}

const valueAt = (document: Fields, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value !== null && typeof value === 'object' ? (value as Fields)[name] : undefined),
      document,
    );
