/** Removes from a JSON Schema what only the service uses, and bounds that only express that a number is an integer. */
export function tidySchema(schema: Record<string, unknown>, io: 'input' | 'output'): void {
  for (const own of ['scalar', 'graphql', 'graphqlFields', 'commaSeparated', 'camelCase', 'cost', 'restOnly', 'param'])
    delete schema[own];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['format'] === 'date-time') delete schema['pattern'];
  // Only a literal in JavaScript needs an escaped slash, and some generators escape it again.
  if (typeof schema['pattern'] === 'string') schema['pattern'] = schema['pattern'].replaceAll('\\/', '/');
  // Responses and events may get new fields, so clients must accept unknown ones.
  if (io === 'output' && schema['additionalProperties'] === false) delete schema['additionalProperties'];
}
