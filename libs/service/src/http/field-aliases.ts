import { z } from 'zod';

/** `GATEWAY_ALIASES.queryValues`: by field, the document's value of each other spelling. */
export type FieldAliases = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Replaces the other spellings in a body that the schema is about to validate. */
type ReplaceAliases = (body: unknown) => unknown;

/**
 * Replaces the values of a field in a body where the schema lists the field's values and the field is named like an
 * alias of the configuration. It happens before the validation, and so before anything else reads the body: a digest
 * for an `Idempotency-Key` is the same in both spellings.
 */
export class FieldAliasReader {
  /** Undefined for a schema without such fields, which are almost all. */
  private readonly replacers = new WeakMap<z.ZodType, { replace: ReplaceAliases | undefined }>();
  /** Replacers of objects, which may contain themselves: 'pending' while the fields of an object are looked at. */
  private readonly ofObjects = new WeakMap<
    z.ZodObject,
    'pending' | { replace: ReplaceAliases | undefined }
  >();

  constructor(private readonly aliases: FieldAliases) {}

  read(schema: z.ZodType, body: unknown): unknown {
    let known = this.replacers.get(schema);
    if (!known) this.replacers.set(schema, (known = { replace: this.createReplacer(schema) }));
    return known.replace ? known.replace(body) : body;
  }

  private createReplacer(schema: z.ZodType): ReplaceAliases | undefined {
    const inner = unwrap(schema);
    if (inner instanceof z.ZodArray) {
      const replaceItem = this.createReplacer(inner.element as z.ZodType);
      return replaceItem && ((body) => (Array.isArray(body) ? body.map(replaceItem) : body));
    }
    if (inner instanceof z.ZodUnion) {
      const replacers = (inner.options as z.ZodType[]).flatMap((option) => this.createReplacer(option) ?? []);
      return replacers.length === 0
        ? undefined
        : (body) => replacers.reduce((value, replace) => replace(value), body);
    }
    return inner instanceof z.ZodObject ? this.findObjectReplacer(inner) : undefined;
  }

  private findObjectReplacer(schema: z.ZodObject): ReplaceAliases | undefined {
    const known = this.ofObjects.get(schema);
    if (known === 'pending') return (body) => this.read(schema, body);
    if (known) return known.replace;
    this.ofObjects.set(schema, 'pending');
    const replace = this.createObjectReplacer(schema);
    this.ofObjects.set(schema, { replace });
    return replace;
  }

  private createObjectReplacer({ shape }: z.ZodObject): ReplaceAliases | undefined {
    const fields = Object.entries(shape).flatMap(([name, schema]) => {
      const replace =
        this.createValueReplacer(name, schema as z.ZodType) ?? this.createReplacer(schema as z.ZodType);
      return replace ? [{ name, replace }] : [];
    });
    if (fields.length === 0) return undefined;
    return (body) => {
      if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
      const named = fields.filter(({ name }) => Object.hasOwn(body, name));
      if (named.length === 0) return body;
      const copy: Record<string, unknown> = { ...body };
      for (const { name, replace } of named) copy[name] = replace(copy[name]);
      return copy;
    };
  }

  private createValueReplacer(name: string, schema: z.ZodType): ReplaceAliases | undefined {
    const inner = unwrap(schema);
    if (!(inner instanceof z.ZodEnum) || !Object.hasOwn(this.aliases, name)) return undefined;
    const own = new Set(inner.options.map(String));
    const values = new Map(
      Object.entries(this.aliases[name] ?? {}).filter(([alias, real]) => !own.has(alias) && own.has(real)),
    );
    return (value) => (typeof value === 'string' ? (values.get(value) ?? value) : value);
  }
}

/** The schema inside of optional, default, nullable, read-only, lazy and piped ones. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) {
    const { in: input, out } = schema.def;
    return unwrap((input instanceof z.ZodTransform ? out : input) as z.ZodType);
  }
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodLazy;
  return isWrapper ? unwrap(schema.unwrap() as z.ZodType) : schema;
}
