import type { Schema } from '../facts.ts';
import { objectOf } from './facts.ts';

interface Node {
  schema?: Schema;
  isRequired: boolean;
  children: Map<string, Node>;
}

interface Tables {
  sectionOf: (title: string) => string;
  /** The object that the tables of a section describe: `| field | type | required | description |`. */
  objectIn: (title: string) => Schema;
  scalars: Record<string, Schema>;
}

/** Reads the tables of a reference in Markdown. */
export function createTables(reference: string): Tables {
  const sectionOf = (title: string): string =>
    reference.split(new RegExp(`^##+ ${title}.*$`, 'm'))[1]?.split(/^## /m)[0] ?? '';

  /** Values in the first column of the tables of a section. */
  const listedIn = (title: string): string[] =>
    [...sectionOf(title).matchAll(/^\| ([A-Z][A-Z_]{2,}) \|/gm)].map(([, value = '']) => value);
  const tables: Record<string, string[]> = {
    objectiveType: listedIn('Objective Types & Bidding Matrix').filter(
      (value) => !/^(MAX|CAP|TARGET)_|^NONE|^ENHANCED/.test(value),
    ),
    optimizationTargetType: listedIn('Objective Types & Bidding Matrix').filter((value) =>
      /^(MAX|CAP|TARGET)_|^NONE|^ENHANCED/.test(value),
    ),
    format: listedIn('Campaign Format Types'),
  };

  const scalars: Record<string, Schema> = {
    string: { type: 'string' },
    long: { type: 'integer' },
    boolean: { type: 'boolean' },
    BigDecimal: { type: 'string', pattern: String.raw`^\d+(\.\d+)?$` },
    Currency: { type: 'string', pattern: '^[A-Z]{3}$' },
  };

  function typeOf(name: string, type: string, text: string): Schema {
    if (type.endsWith('Urn') || type === 'URN') return { type: 'string', pattern: '^urn:li:' };
    const values =
      tables[name] ??
      text.match(/\b[A-Z][A-Z_]+(?:(?:,| \([^)]*\) or) [A-Z][A-Z_]+)+/)?.[0].split(/, | \([^)]*\) or /) ??
      [];
    const only = /^`([A-Z]+)`/.exec(text)?.[1];
    if (type === 'string' && values.length > 1) return { type: 'string', enum: values };
    return only
      ? { type: 'string', enum: [only, ...[...text.matchAll(/, `([A-Z_]+)`/g)].map(([, more]) => more)] }
      : (scalars[type] ?? {});
  }

  /** A dotted name is a field of an object: `runSchedule.start`. */
  function objectIn(title: string): Schema {
    const root: Node = { isRequired: true, children: new Map() };
    const rows = sectionOf(title).matchAll(
      /^\| ([\w.]+) \| (\w+(?:\[\])?) \| (?:(\**(?:Yes|No|Read-only|Conditional)[^|]*)\| )?(.*?) ?\|$/gm,
    );
    for (const [, path = '', type = '', flag = '', text = ''] of rows) {
      if (path === 'Field' || (/Read-only/.test(flag) && path !== 'account')) continue;
      const steps = path.split('.');
      const leaf = steps.reduce((node, step) => {
        const next = node.children.get(step) ?? { isRequired: false, children: new Map<string, Node>() };
        node.children.set(step, next);
        next.isRequired ||= flag.startsWith('Yes') && !flag.includes('or ');
        return next;
      }, root);
      leaf.schema = typeOf(path, type, text);
    }
    const build = (node: Node): Schema => {
      if (node.children.size === 0) return node.schema ?? {};
      const children = [...node.children];
      return objectOf(
        Object.fromEntries(children.map(([name, child]) => [name, build(child)])),
        children.filter(([, child]) => child.isRequired).map(([name]) => name),
      );
    };
    return build(root);
  }
  return { sectionOf, objectIn, scalars };
}
