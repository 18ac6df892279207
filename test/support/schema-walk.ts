import { isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { schema } from '../../src/graphql/schema.ts';

/** Every named thing of our schema, with what is said of it. */
export function describedTypes(): { name: string; description?: string | null }[] {
  const own = Object.values(schema.getTypeMap()).filter(
    ({ name }) => !name.startsWith('__') && !/^(String|Int|Float|Boolean|ID)$/.test(name),
  );
  return own.flatMap((type) => {
    const fields = isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const members = fields.map(({ name, description }) => ({ name: `${type.name}.${name}`, description }));
    return [{ name: type.name, description: type.description }, ...(isEnumType(type) ? [] : members)];
  });
}
