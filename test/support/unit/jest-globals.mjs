// What `@jest/globals` exports, for the runner without isolation, which has no such module of its own.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
