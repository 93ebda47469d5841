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
