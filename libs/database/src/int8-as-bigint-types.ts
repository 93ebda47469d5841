import pg, { type CustomTypesConfig } from 'pg';

const { types } = pg;
const { INT8 } = types.builtins;

/** Reads int8 as bigint instead of text, in one pool instead of the whole process. */
export const INT8_AS_BIGINT_TYPES: CustomTypesConfig = {
  getTypeParser: (...[oid, format]: Parameters<typeof types.getTypeParser>): unknown =>
    oid === INT8 && format !== 'binary' ? BigInt : types.getTypeParser(oid, format),
};
