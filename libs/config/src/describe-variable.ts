import { DAY_MS, HOUR_MS, MINUTE_MS } from '@app/common';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

const UNITS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: HOUR_MS },
  { unit: 'minute', ms: MINUTE_MS },
] as const;

/** `90 days`, in the largest unit that divides the time; nothing below a minute or for other times. */
function formatDuration(durationMs: number): string | undefined {
  const largest = UNITS.find(({ ms }) => durationMs >= ms && durationMs % ms === 0);
  if (!largest) return undefined;
  const count = durationMs / largest.ms;
  return `${count} ${largest.unit}${count === 1 ? '' : 's'}`;
}

/** What the documentation says of one environment variable. Texts are Markdown. */
export interface VariableDescription {
  name: string;
  description: string;
  /** Unit, limits or notation. */
  format: string;
  /** Absent for what may be read by anyone, else `yes` or the condition. */
  secret?: string;
  /** Absent when the variable is required. */
  default?: string;
}

/**
 * Reads format, limits, default and secrecy of a variable from its schema.
 * @throws Error when the schema has no description or format, or a default that cannot be written as text
 */
export function describeVariable(name: string, schema: z.core.$ZodType): VariableDescription {
  const description = findMeta(schema, 'description');
  const format = findFormat(name, schema);
  if (description === undefined || format === undefined)
    throw new Error(`${name} needs .meta({ description, format }) in its schema`);
  const secret = findMeta(schema, 'secret');
  const whenAbsent = formatDefault(name, schema);
  const formerName = findMeta(schema, 'formerName');
  return {
    name,
    description:
      formerName === undefined
        ? description
        : `${description} Formerly \`${formerName}\`, which still counts where this name is not set.`,
    format,
    ...(secret === undefined ? {} : { secret: secret === true ? 'yes' : secret }),
    ...(whenAbsent === undefined ? {} : { default: whenAbsent }),
  };
}

/** The schema and what it wraps, outermost first. */
function* unwrap(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
  yield schema;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) yield* unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) yield* unwrap(schema.in);
}

/** What the documentation says of a variable, whatever wraps its schema. */
export function findMeta<K extends keyof z.GlobalMeta>(schema: z.core.$ZodType, key: K): z.GlobalMeta[K] {
  for (const inner of unwrap(schema)) {
    const value = z.globalRegistry.get(inner)?.[key];
    if (value !== undefined) return value;
  }
  return undefined;
}

function findFormat(name: string, schema: z.core.$ZodType): string | undefined {
  const range = findMeta(schema, 'range');
  if (range) return `${toUnit(name)}, ${formatRange(name, ...range)}`;
  const format = findMeta(schema, 'format');
  if (format !== undefined) return format;
  const choice = [...unwrap(schema)].find((inner) => inner instanceof z.ZodEnum);
  return choice?.options.map((option) => `\`${option}\``).join(', ');
}

const toUnit = (name: string): string =>
  name.endsWith('_MS') ? 'milliseconds' : name.endsWith('_SECONDS') ? 'seconds' : 'whole number';

function formatRange(name: string, min: number, max: number): string {
  if (max === Number.MAX_SAFE_INTEGER) return `at least ${formatNumber(name, min)}`;
  return `${formatNumber(name, min)} to ${formatNumber(name, max)}`;
}

/** `86400000 (1 day)` */
function formatNumber(name: string, value: number): string {
  const unitMs = { milliseconds: 1, seconds: 1_000 }[toUnit(name)];
  const duration = unitMs === undefined ? undefined : formatDuration(value * unitMs);
  return duration === undefined ? String(value) : `${value} (${duration})`;
}

/** Nothing for a required variable. */
function formatDefault(name: string, schema: z.core.$ZodType): string | undefined {
  const fallback = findMeta(schema, 'fallback');
  if (fallback !== undefined) return fallback;
  const { success, data: value } = z.safeParse(schema, undefined);
  if (!success) return undefined;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  const text = toText(value);
  const parsed = z.safeParse(schema, text);
  if (!parsed.success || !isDeepStrictEqual(parsed.data, value))
    throw new Error(`The default of ${name} cannot be written as text`);
  if (typeof value !== 'number') return `\`${text}\``;
  return formatNumber(name, value).replace(/^[\d.]+/, '`$&`');
}

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return Array.isArray(value) && value.every((item) => typeof item !== 'object')
    ? value.join(',')
    : JSON.stringify(value);
}
