import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** Tests, programs that write sources, what only compilers of types read, and a package of its own. */
const NOT_BUILT = /\.spec\.ts$|\.mjs$|\/tsconfig(\.\w+)?\.json$|^libs\/chain\/ethers-stand-in\//;

/** Documents and examples that the gateway serves; decision records are for those who have the repository. */
const SERVED_DOCUMENT = /^docs\/(?:(?:guides\/)?[\w-]+\.md|asyncapi\.json|examples\/[\w-]+\.mjs)$/;

/** @param {string} file `apps/…`, `libs/…` or `docs/…` @returns {boolean} whether the build writes something for it */
export const isBuilt = (file) =>
  file.startsWith('docs/') ? SERVED_DOCUMENT.test(file) : !NOT_BUILT.test(file);

/** @param {string} file @returns {string} where in `dist` the build writes what becomes of a source */
export const builtFileOf = (file) => join('dist', file.replace(/\.ts$/, '.js'));

/**
 * Compiles one TypeScript source to `dist` as .swcrc says, or copies one asset there.
 * @param {string} root
 * @param {string} file `apps/…`, `libs/…` or `docs/…`; its folder in `dist` exists
 * @throws Error that shows the line which swc cannot parse
 */
export async function compileSource(root, file) {
  const target = builtFileOf(file);
  if (!file.endsWith('.ts')) {
    copyFileSync(join(root, file), join(root, target));
    return;
  }
  // Loaded late: `npm start` installs it first.
  const { transform } = await import('@swc/core');
  const { code, map } = await transform(readFileSync(join(root, file), 'utf8'), {
    cwd: root,
    filename: join(root, file),
    outputPath: join(root, target),
    sourceFileName: relative(dirname(target), file),
  });
  writeFileSync(join(root, target), `${code}\n//# sourceMappingURL=${basename(target)}.map`);
  writeFileSync(join(root, `${target}.map`), map ?? '');
}
