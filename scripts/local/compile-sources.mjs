// Compiles the TypeScript of `apps` and `libs` to `dist` as .swcrc says, and copies their assets. build.mjs runs it.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transform } from '@swc/core';
import { root } from './project.mjs';

/** Tests, programs that write sources, and a package of its own. */
const NOT_BUILT = /\.spec\.ts$|\.mjs$|^libs\/chain\/ethers-stand-in\//;

const files = process.argv
  .slice(2)
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  .filter((file) => !NOT_BUILT.test(file));

for (const folder of new Set(files.map(dirname))) mkdirSync(join(root, 'dist', folder), { recursive: true });
await Promise.all(files.map((file) => (file.endsWith('.ts') ? compile(file) : copy(file))));

async function compile(file) {
  const target = join('dist', file.replace(/\.ts$/, '.js'));
  const { code, map } = await transform(readFileSync(join(root, file), 'utf8'), {
    cwd: root,
    filename: join(root, file),
    outputPath: join(root, target),
    sourceFileName: relative(dirname(target), file),
  });
  writeFileSync(join(root, target), `${code}\n//# sourceMappingURL=${basename(target)}.map`);
  writeFileSync(join(root, `${target}.map`), map);
}

function copy(file) {
  copyFileSync(join(root, file), join(root, 'dist', file));
}
