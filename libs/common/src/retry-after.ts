/** `Retry-After` of answers, in seconds, by what the client waits for. */
export const RETRY_AFTER_SECONDS = {
  /** A place in a queue of this process, or keys that it is loading: a moment. */
  turn: 1,
  /** An operation under way, or a part of the deployment that restarts. */
  progress: 2,
  /** A node, a platform or an API that is away. */
  upstream: 5,
  /** An operator who fills up what a sponsor pays from. */
  refill: 60,
} as const;
