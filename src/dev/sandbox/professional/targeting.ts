import { facets, targetingEntityAt } from './places.ts';
import { isRecord, listOf, record, type Rule } from './shape.ts';

const locations = 'urn:li:adTargetingFacet:locations';

/** Entities of the three complete facets must exist; for the others only the format is validated. */
const entity: Rule = (value, path) => {
  const isKnown =
    typeof value === 'string' &&
    (/^urn:li:(geo|interest|locale):/.test(value)
      ? targetingEntityAt(value) !== undefined
      : /^urn:li:\w+:[\w,()-]+$/.test(value));
  return isKnown ? [] : [`ERROR :: ${path} :: "${String(value)}" is not a valid targeting entity`];
};

const facetMap: Rule = (value, path) => {
  if (!isRecord(value) || Object.keys(value).length === 0)
    return [`ERROR :: ${path} :: must name at least one targeting facet`];
  return Object.entries(value).flatMap(([name, entities]) =>
    facets.includes(name)
      ? listOf(entity)(entities, `${path}/${name}`)
      : [`ERROR :: ${path}/${name} :: "${name}" is not a valid targeting facet`],
  );
};

const shape = record({
  fields: {
    include: record({
      fields: { and: listOf(record({ fields: { or: facetMap }, required: ['or'] })) },
      required: ['and'],
    }),
    exclude: record({ fields: { or: facetMap }, required: ['or'] }),
  },
  required: ['include'],
});

/** Audience targeting. A location is required (unconfirmed). */
export const targeting: Rule = (value, path) => {
  const problems = shape(value, path);
  if (problems.length > 0) return problems;
  const { include } = value as { include: { and: { or: Record<string, unknown[]> }[] } };
  const hasLocation = include.and.some(({ or }) => (or[locations]?.length ?? 0) > 0);
  return hasLocation ? [] : [`ERROR :: ${path}/include :: at least one location is required`];
};
