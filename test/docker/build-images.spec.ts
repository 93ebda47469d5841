import { expect, it } from '@jest/globals';
import { buildImages } from '../../scripts/images/build-images.mjs';
import { parseImageOptions } from '../../scripts/images/image-options.mjs';
import { root } from '../../scripts/build/project.mjs';

/** The arguments with which the tool would be started. No tool that builds images is needed to see them. */
async function listArguments(...args: string[]): Promise<string[]> {
  const started: string[][] = [];
  const runShown = (_name: string, _tool: string, given: string[]) => {
    started.push(given);
    return Promise.resolve(true);
  };
  await buildImages({ runShown }, root, parseImageOptions([...args, 'gateway'], {}));
  expect(started).toHaveLength(1);
  return started.flat();
}

const TWO = 'linux/amd64,linux/arm64';

it('npm run images: builds for this machine without --platform', async () => {
  const args = await listArguments('--registry', 'registry.example.com/team', '--tag', '1.2');
  expect(args.slice(0, 2)).toEqual(['build', '--file']);
  expect(args.join(' ')).toContain('--target gateway --tag registry.example.com/team/gatehouse/gateway:1.2');
  expect(args).not.toContain('--platform');
});

it('npm run images: builds two platforms with buildx, and pushes them', async () => {
  const args = await listArguments(
    '--platform',
    TWO,
    '--registry',
    'registry.example.com/team',
    '--tag',
    '1.2',
  );
  expect(args.slice(0, 5)).toEqual(['buildx', 'build', '--platform', TWO, '--push']);
  expect(args.join(' ')).toContain('--tag registry.example.com/team/gatehouse/gateway:1.2');
  expect(args.at(-1)).toBe(root);
});

it('npm run images: keeps an image of one other platform', async () => {
  const args = await listArguments('--platform', 'linux/arm64');
  expect(args.slice(0, 5)).toEqual(['buildx', 'build', '--platform', 'linux/arm64', '--load']);
});

it.each(['podman', 'buildah'])(
  'npm run images: makes one manifest of two platforms with %s',
  async (tool) => {
    const args = await listArguments('--tool', tool, '--platform', TWO, '--tag', '1.2');
    expect(args.slice(0, 3)).toEqual(['build', '--platform', TWO]);
    expect(args.join(' ')).toContain('--manifest gatehouse/gateway:1.2');
    expect(args).not.toContain('--tag');
  },
);

it.each([
  [['--platform', 'linux/riscv64'], /--platform must be of linux\/amd64, linux\/arm64/],
  [['--platform', TWO], /Several platforms need --registry/],
])('npm run images: refuses %j', (args, message) => {
  expect(() => parseImageOptions(args, {})).toThrow(message);
});
