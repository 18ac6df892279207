import type { z } from 'zod';
/* eslint-disable typescript/no-explicit-any -- zod's own walker types are open */
type Members = [name: string, schema: any][];

/** The fields of a member: GraphQL has no union of inputs, so a list of alternatives is one list for each of them. */
const alternativesOf = (member: any): Record<string, any> | undefined => {
  const { innerType } = member.def;
  return innerType ? alternativesOf(innerType) : member.meta?.()?.graphqlFields;
};

/** The members of a contract object as an input type has them; those that are about REST are left out. */
export const inputMembers = ({ shape }: z.ZodObject): Members =>
  Object.entries(shape).flatMap(([name, member]: [string, any]): Members => {
    if (member.meta?.()?.restOnly) return [];
    const lists = alternativesOf(member);
    if (!lists) return [[name, member]];
    const description = member.description;
    return Object.entries(lists).map(([field, list]) => [
      field,
      list.describe(list.description ?? description).optional(),
    ]);
  });

/** Converts inputs of a contract object to those of REST, where the entries of all alternatives are one list. */
export function joinAlternatives({ shape }: z.ZodObject): (input: Record<string, unknown>) => Record<string, unknown> {
  const lists = Object.entries(shape).flatMap(([name, member]) => {
    const fields = Object.keys(alternativesOf(member) ?? {});
    return fields.length > 0 ? [{ name, fields }] : [];
  });
  return (input) => {
    const joined = { ...input };
    for (const { name, fields } of lists) {
      const given = fields.flatMap((field) => (input[field] as unknown[] | null | undefined) ?? []);
      for (const field of fields) delete joined[field];
      if (fields.some((field) => input[field] != null)) joined[name] = given;
    }
    return joined;
  };
}
