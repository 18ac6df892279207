import { isEnumType, isInputObjectType, isObjectType, type GraphQLNamedType } from 'graphql';
import { schema } from '../../src/graphql/schema.ts';

interface Described {
  name: string;
  description?: string | null;
}

/** Every type, field, argument, input field and enum value of the schema, with its description. */
export function describedTypes(): Described[] {
  const own = Object.values(schema.getTypeMap()).filter(
    ({ name }) => !name.startsWith('__') && !/^(String|Int|Float|Boolean|ID)$/.test(name),
  );
  return own.flatMap((type) => {
    const fields = isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const values = isEnumType(type) ? type.getValues() : [];
    const members = [...fields, ...values].map(({ name, description }) => ({
      name: `${type.name}.${name}`,
      description,
    }));
    return [{ name: type.name, description: type.description }, ...members, ...argumentsOf(type)];
  });
}

const argumentsOf = (type: GraphQLNamedType): Described[] =>
  isObjectType(type)
    ? Object.values(type.getFields()).flatMap((field) =>
        field.args.map(({ name, description }) => ({ name: `${type.name}.${field.name}(${name})`, description })),
      )
    : [];
