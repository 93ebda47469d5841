/**
 * How swc compiles TypeScript for tests: with Nest's decorators and their types.
 * @type {import('@swc/core').Options}
 */
export const swcOptions = {
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  swcrc: false,
};
