import pg, { type CustomTypesConfig } from 'pg';

const { types } = pg;
const { INT8 } = types.builtins;

/** Reads int8 as bigint instead of text, for one pool: the parsers of the process stay as they are. */
export const int8AsBigint: CustomTypesConfig = {
  getTypeParser: (...[oid, format]: Parameters<typeof types.getTypeParser>): unknown =>
    oid === INT8 && format !== 'binary' ? BigInt : types.getTypeParser(oid, format),
};
