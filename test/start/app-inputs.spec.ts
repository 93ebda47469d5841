import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ownInputsOf } from '../../scripts/build/bundle.mjs';

it('ownInputsOf: names what an app imports, lists of exports included, and nothing of other apps or packages', () => {
  const imports = (...paths: string[]) => ({ imports: paths.map((path) => ({ path })) });
  const metafile = {
    inputs: {
      'dist/apps/gateway/src/main.js': imports('dist/libs/common/src/index.js', 'node_modules/zod/index.js'),
      'dist/apps/identity/src/main.js': imports('dist/libs/key-ring/src/index.js'),
      'dist/libs/common/src/index.js': imports('dist/libs/common/src/hash.js'),
      'dist/libs/common/src/hash.js': { imports: [{ path: 'secp256k1', external: true }] },
      'dist/libs/key-ring/src/index.js': imports(),
      'node_modules/zod/index.js': imports(),
    },
    outputs: {
      'dist/bundles/gateway/main-AAAAAAAA.cjs': { entryPoint: 'dist/apps/gateway/src/main.js' },
      'dist/bundles/gateway/main-AAAAAAAA.cjs.map': {},
      'dist/bundles/identity/main-BBBBBBBB.cjs': { entryPoint: 'dist/apps/identity/src/main.js' },
    },
  };
  expect(ownInputsOf('/project', metafile, join('/project', 'dist/bundles/gateway'))).toEqual([
    'dist/apps/gateway/src/main.js',
    'dist/libs/common/src/hash.js',
    'dist/libs/common/src/index.js',
  ]);
});
