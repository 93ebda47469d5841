import { z } from 'zod';

/** What an acceptor returns where the schema itself has to decide. */
const UNDECIDED = Symbol('undecided');

/** The output of a schema for an input that is valid beyond doubt, else UNDECIDED. */
type Acceptor = (value: unknown, run: AcceptanceRun) => unknown;

/** What transforms and checks are called with, as by zod. An issue makes the whole input undecided, whatever the issue says. */
class AcceptanceRun implements z.core.ParsePayload {
  value: unknown;
  readonly issues: z.core.$ZodRawIssue[] = [];
  // An arrow function, because transforms take it out of their context.
  readonly addIssue = (): void => {
    this.issues.push({ code: 'custom', input: undefined });
  };
}

/**
 * Makes a schema take a shorter way to the same output for valid inputs. It runs the schema's own transforms, refinements and
 * patterns, without a payload and a list of issues for each field, and without a look at fields that the input does not have.
 * Whatever it does not accept, the schema parses as before, so issues are always zod's. The fields of an output stand in the order of the
 * input, and not of the schema. A rule of a check takes 1.7 µs instead of
 * 6.1 µs, which is why this exists beside zod's own generated code (docs/adr/0104-short-paths-of-check-roles.md).
 *
 * Parts that this file does not know are left to zod. Changes the schema in place: schemas that are derived from it keep zod's
 * way, and so does a parse with zod's option `jitless`, with which the tests compare. `_zod` is what zod 4.6.7 tells authors of
 * libraries to read (https://zod.dev/library-authors).
 */
export function acceptValidInput<S extends z.ZodType>(schema: S): S {
  const accept = compile(schema);
  const run = schema._zod.run;
  schema._zod.run = (payload, context) => {
    const isOrdinary = context.direction !== 'backward' && !context.skipChecks && !context.jitless;
    if (!isOrdinary || payload.issues.length > 0) return run(payload, context);
    const output = accept(payload.value, new AcceptanceRun());
    if (output === UNDECIDED) return run(payload, context);
    payload.value = output;
    return payload;
  };
  return schema;
}

/** Schemas that contain themselves are left to zod where they do. */
const compiling = new Set<z.core.$ZodType>();

function compile(schema: z.core.$ZodType): Acceptor {
  // The way of zod itself, which acceptValidInput is about to replace in the outermost schema.
  const { run: runZod } = schema._zod;
  const leaveToZod: Acceptor = (value) => askZod(runZod, value);
  if (compiling.has(schema)) return leaveToZod;
  compiling.add(schema);
  try {
    return compileSteps(schema) ?? leaveToZod;
  } finally {
    compiling.delete(schema);
  }
}

function compileSteps(schema: z.core.$ZodType): Acceptor | undefined {
  const accept = compileType(schema);
  const checks = (schema._zod.def.checks ?? []).map(compileCheck);
  const steps = [accept, ...checks].filter((step) => step !== undefined);
  if (!accept || steps.length <= checks.length) return undefined;
  if (checks.length === 0) return accept;
  return (value, run) => {
    let output = value;
    for (const step of steps) {
      output = step(output, run);
      if (output === UNDECIDED) return UNDECIDED;
    }
    return output;
  };
}

function askZod(runZod: z.core.$ZodType['_zod']['run'], value: unknown): unknown {
  const result = runZod({ value, issues: [] }, { async: false });
  return result instanceof Promise || result.issues.length > 0 ? UNDECIDED : result.value;
}

/** Undefined for types that are left to zod. The checks of the schema come after it. */
function compileType(schema: z.core.$ZodType): Acceptor | undefined {
  if (schema instanceof z.core.$ZodOptional) return compileOptional(schema);
  if (schema instanceof z.core.$ZodDefault) return compileDefault(schema);
  if (schema instanceof z.core.$ZodPipe) return compilePipe(schema);
  if (schema instanceof z.core.$ZodTransform) return compileTransform(schema);
  if (schema instanceof z.core.$ZodObject) return compileObject(schema);
  if (schema instanceof z.core.$ZodArray) return compileArray(schema);
  if (schema instanceof z.core.$ZodDiscriminatedUnion) return compileDiscriminatedUnion(schema);
  if (schema instanceof z.core.$ZodUnion) return compileChoice(schema);
  if (schema instanceof z.core.$ZodLiteral) return compileValues(schema._zod.def.values);
  if (schema instanceof z.core.$ZodEnum) return compileEnum(schema);
  if (schema instanceof z.core.$ZodBoolean && !schema._zod.def.coerce)
    return (value) => (typeof value === 'boolean' ? value : UNDECIDED);
  if (schema instanceof z.core.$ZodNumberFormat && schema._zod.def.format === 'safeint')
    return (value) => (Number.isSafeInteger(value) ? value : UNDECIDED);
  if (
    schema instanceof z.core.$ZodString &&
    !(schema instanceof z.core.$ZodStringFormat) &&
    !schema._zod.def.coerce
  )
    return (value) => (typeof value === 'string' ? value : UNDECIDED);
  return undefined;
}

function compileOptional(schema: z.core.$ZodOptional): Acceptor | undefined {
  const { innerType } = schema._zod.def;
  if (schema instanceof z.core.$ZodExactOptional || innerType._zod.optin === 'defaulted') return undefined;
  const accept = compile(innerType);
  return (value, run) => (value === undefined ? undefined : accept(value, run));
}

function compileDefault({ _zod: { def } }: z.core.$ZodDefault): Acceptor {
  const accept = compile(def.innerType);
  return (value, run) => {
    const output = value === undefined ? undefined : accept(value, run);
    // zod replaces what becomes undefined, too, and makes a new default each time.
    return output === undefined ? def.defaultValue : output;
  };
}

function compilePipe(schema: z.core.$ZodPipe): Acceptor | undefined {
  if (schema instanceof z.core.$ZodCodec) return undefined;
  const [first, second] = [compile(schema._zod.def.in), compile(schema._zod.def.out)];
  return (value, run) => {
    const output = first(value, run);
    return output === UNDECIDED ? UNDECIDED : second(output, run);
  };
}

function compileTransform({ _zod: { def } }: z.core.$ZodTransform): Acceptor {
  return (value, run) => {
    run.value = value;
    const output = def.transform(value, run);
    return run.issues.length > 0 || output instanceof Promise ? UNDECIDED : output;
  };
}

function compileArray({ _zod: { def } }: z.core.$ZodArray): Acceptor {
  const accept = compile(def.element);
  return (value, run) => {
    if (!Array.isArray(value)) return UNDECIDED;
    const output: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const element = accept(item, run);
      if (element === UNDECIDED) return UNDECIDED;
      output.push(element);
    }
    return output;
  };
}

function compileValues(values: readonly unknown[]): Acceptor {
  const known = new Set(values);
  return (value) => (known.has(value) ? value : UNDECIDED);
}

/** Enums of TypeScript with numbers hold their names, too. */
function compileEnum({ _zod: { def } }: z.core.$ZodEnum): Acceptor | undefined {
  const values = Object.values(def.entries);
  return values.every((value) => typeof value === 'string') ? compileValues(values) : undefined;
}

function compileDiscriminatedUnion({ _zod: { def } }: z.core.$ZodDiscriminatedUnion): Acceptor {
  const { discriminator } = def;
  const options = new Map<unknown, Acceptor>();
  for (const option of def.options) {
    const accept = compile(option);
    for (const value of option._zod.propValues?.[discriminator] ?? []) options.set(value, accept);
  }
  return (value, run) =>
    (isFields(value) ? options.get(value[discriminator])?.(value, run) : UNDECIDED) ?? UNDECIDED;
}

/** Unions that `chooseSchema` did not make are left to zod, which tries every option. */
function compileChoice(schema: z.core.$ZodUnion): Acceptor | undefined {
  const choice = choices.get(schema);
  if (!choice) return undefined;
  const { isSecond } = choice;
  const [first, second] = [compile(choice.first), compile(choice.second)];
  return (value, run) => (isSecond(value) ? second : first)(value, run);
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects that are strict, or leave out what they do not know. */
function compileObject(schema: z.core.$ZodObject): Acceptor | undefined {
  const { shape, catchall } = schema._zod.def;
  if (Object.getOwnPropertySymbols(shape).length > 0) return undefined;
  if (catchall && !(catchall instanceof z.core.$ZodNever)) return undefined;
  const isStrict = catchall !== undefined;
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name, compile(field)]));
  const needed = Object.entries(shape).flatMap(([name, field]) =>
    field._zod.optin === 'optional' && field._zod.optout === 'optional'
      ? []
      : [{ name, accept: compile(field) }],
  );
  return (value, run) => {
    if (!isFields(value)) return UNDECIDED;
    const output: Record<string, unknown> = {};
    for (const name in value) {
      const accept = fields.get(name);
      if (!accept) {
        if (isStrict) return UNDECIDED;
        continue;
      }
      const field = accept(value[name], run);
      if (field === UNDECIDED) return UNDECIDED;
      output[name] = field;
    }
    for (const { name, accept } of needed) {
      if (name in value) continue;
      const field = accept(undefined, run);
      if (field === UNDECIDED || field === undefined) return UNDECIDED;
      output[name] = field;
    }
    return output;
  };
}

/** Undefined for checks that zod skips at times. */
function compileCheck(check: z.core.$ZodCheck): Acceptor | undefined {
  if (check instanceof z.core.$ZodCheckRegex) return compileRegex(check);
  if (check instanceof z.core.$ZodCheckMaxLength) return compileMaxLength(check);
  if (check instanceof z.core.$ZodCheckMinLength) return compileMinLength(check);
  if (check instanceof z.core.$ZodCheckGreaterThan) return compileGreaterThan(check);
  if (check._zod.def.when) return undefined;
  // zod runs a check on what its schema accepts, and so does an acceptor.
  const { _zod: internals } = check as z.core.$ZodCheck<unknown>;
  return (value, run) => {
    run.value = value;
    const pending = internals.check(run);
    return run.issues.length > 0 || pending instanceof Promise ? UNDECIDED : run.value;
  };
}

function compileRegex({ _zod: { def } }: z.core.$ZodCheckRegex): Acceptor {
  const { pattern } = def;
  return (value) => {
    pattern.lastIndex = 0;
    return typeof value === 'string' && pattern.test(value) ? value : UNDECIDED;
  };
}

function compileGreaterThan({ _zod: { def } }: z.core.$ZodCheckGreaterThan): Acceptor | undefined {
  const { value: bound, inclusive } = def;
  if (typeof bound !== 'number') return undefined;
  return (value) =>
    typeof value === 'number' && (inclusive ? value >= bound : value > bound) ? value : UNDECIDED;
}

const hasLength = (value: unknown): value is string | readonly unknown[] =>
  typeof value === 'string' || Array.isArray(value);

/** zod counts the code points of texts, of which there are never more than code units. */
function compileMaxLength({ _zod: { def } }: z.core.$ZodCheckMaxLength): Acceptor {
  return (value) => (hasLength(value) && value.length <= def.maximum ? value : UNDECIDED);
}

/** A code point has at most two code units. */
function compileMinLength({ _zod: { def } }: z.core.$ZodCheckMinLength): Acceptor {
  const units = def.minimum <= 1 ? def.minimum : 2 * def.minimum;
  return (value) => (hasLength(value) && value.length >= units ? value : UNDECIDED);
}

/** How a value chooses between the two options of a schema. */
interface Choice {
  readonly first: z.core.$ZodType;
  readonly second: z.core.$ZodType;
  readonly isSecond: (value: unknown) => boolean;
}

const choices = new WeakMap<z.core.$ZodType, Choice>();

/**
 * A schema that parses a value by one of two others, and is documented as their union. A union of zod tries both, and says of a
 * value that neither takes only that no option fits; here the issues are those of the option that the value chose.
 */
export function chooseSchema<First extends z.ZodType, Second extends z.ZodType>(
  first: First,
  second: Second,
  isSecond: (value: unknown) => boolean,
): z.ZodUnion<readonly [First, Second]> {
  const schema = z.union([first, second]);
  schema._zod.run = (payload, context) =>
    (isSecond(payload.value) ? second : first)._zod.run(payload, context);
  choices.set(schema, { first, second, isSecond });
  return schema;
}

/** The same schema for documents alone, which accepts whatever it gets, for a parser that comes after it. Changes the schema in place. */
export function documentOnly<S extends z.ZodType>(schema: S): z.ZodLazy<S> {
  schema._zod.run = (payload) => payload;
  // Lazy, so that an acceptor does not look into it.
  return z.lazy(() => schema);
}
