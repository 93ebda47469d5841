import { z } from 'zod';

/** A whole number in decimal digits. */
export const envInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ range: [min, max] });

/** A decimal fraction from 0 to 1. */
export const envRatio = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
  .transform(Number)
  .meta({ format: 'number from 0 to 1' });

/** `on` or `off`. */
export const envSwitch = z.enum(['on', 'off']).transform((value) => value === 'on');

export const envPort = envInteger(0, 65_535);

/** JSON that matches a schema. */
export const envJson = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema)
    .meta({ format: 'JSON' });

/** An http(s) origin without a path; a trailing slash is removed. */
export const envOrigin = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => URL.canParse(text) && new URL(text).pathname === '/' && !/[?#@]/.test(text),
    'must be an origin without user name and path',
  )
  .transform((text, context) => {
    if (URL.canParse(text)) return new URL(text).origin;
    context.addIssue({ code: 'custom', message: 'must be an http(s) URL' });
    return z.NEVER;
  })
  .meta({ format: 'http(s) origin without a path' });

export const envPostgresUrl = z
  .url({ protocol: /^postgres(ql)?$/ })
  .meta({ format: '`postgres://…`', secret: true });

const SECRET_BYTES = 32;

/** 32 random bytes in base64url. */
export const envSecret = z
  .base64url()
  .transform((text) => Buffer.from(text, 'base64url'))
  .refine((bytes) => bytes.length === SECRET_BYTES, `must be ${SECRET_BYTES} bytes`)
  .meta({ format: `${SECRET_BYTES} random bytes in base64url`, secret: true });

export {};

/** What the documentation says of an environment variable, besides `description` (docs/configuration.md). */
declare module 'zod' {
  interface GlobalMeta {
    /** Smallest and largest number. The unit follows from the name of the variable. */
    range?: readonly [min: number, max: number];
    /** Notation of the value, in Markdown. */
    format?: string;
    /** `true`, or when the value must be kept secret. */
    secret?: true | string;
    /** What applies without the variable, in Markdown, where the schema has no default. */
    fallback?: string;
    /** The name that the variable had in the release before, which still sets it. */
    formerName?: string;
  }
}
