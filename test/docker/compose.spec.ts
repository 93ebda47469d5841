import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { imageTargets } from '../../scripts/images/targets.mjs';
import { root } from '../../scripts/build/project.mjs';
import { createComposeSecrets } from '../../scripts/secrets/compose-secrets.mjs';
import { ANSWERING_VARIABLES, isNamed, readConfigurationTable } from '../k8s/support/configuration-table.js';

const read = (file: string): string => readFileSync(join(root, 'docker', file), 'utf8');

/** A file that deployments may lack which were made before there was one. */
const optionalFile = z.object({ path: z.string(), required: z.literal(false) }).transform(({ path }) => path);

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      env_file: z
        .union([z.string().transform((path) => [path]), z.array(z.union([z.string(), optionalFile]))])
        .default([]),
      environment: z.record(z.string(), z.string()).default({}),
      ulimits: z.record(z.string(), z.number()).optional(),
    }),
  ),
});

const { services } = composeFile.parse(parse(read('compose.yaml'), { merge: true }));
const secrets = createComposeSecrets();
const dockerfile = read('Dockerfile');
/** Variables that images set themselves. */
const ofImages = [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=/g)].map(
  ([, name = '']) => name,
);

const isDefaults = (file: string): boolean => file.startsWith('defaults/');
const namesIn = (env: string): string[] => [...env.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);

describe('docker/Dockerfile', () => {
  it('docker/Dockerfile: has a target for each image', () => {
    const targets = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name = '']) => name);
    expect(targets.filter((name) => !['build', 'base', 'app'].includes(name))).toEqual(imageTargets);
  });
});

describe('docker/compose.yaml', () => {
  it('docker/compose.yaml: runs every image', () => {
    const images = Object.values(services).flatMap(
      ({ image }) => /gatehouse\/([a-z-]+):/.exec(image)?.[1] ?? [],
    );
    expect(images.sort()).toEqual([...imageTargets].sort());
  });

  it('docker/compose.yaml: lets no process of ours write a core dump, which would hold keys', () => {
    const own = Object.entries(services).filter(([, { image }]) => image.includes('gatehouse/'));
    expect(own.length).toBe(imageTargets.length);
    expect(own.filter(([, { ulimits }]) => ulimits?.['core'] !== 0)).toEqual([]);
  });

  it('docker/compose.yaml: gives every app and command the same Redis, because jobs of another backend are not seen', () => {
    const asked = [...readConfigurationTable().keys(), 'client'];
    expect(new Set(asked.map((name) => services[name]?.environment['REDIS_URL']))).toEqual(
      new Set(['redis://redis:6379']),
    );
  });

  it('docker/compose.yaml: gives every app with secrets the file that holds all of them', () => {
    const keepers = [...readConfigurationTable()].filter(([, variables]) =>
      variables.some(({ secret }) => secret),
    );
    expect(keepers.length).toBe(5);
    expect(
      keepers.filter(([app]) => !services[app]?.env_file.includes(`secrets/${app}.env`)).map(([app]) => app),
    ).toEqual([]);
  });

  it('docker/compose.yaml: names only files of this repository, and those that `npm run gatehouse -- secrets` makes', () => {
    const files = Object.values(services)
      .flatMap(({ env_file: names }) => names)
      .filter((file) => !isDefaults(file));
    expect(new Set(files)).toEqual(new Set(Object.keys(secrets).map((name) => `secrets/${name}`)));
  });

  it.each([...readConfigurationTable()])(
    'docker/compose.yaml: sets what %s requires, and nothing that it does not know',
    (app, variables) => {
      const { env_file: names = [], environment = {} } = services[app] ?? {};
      const set = [
        ...ofImages,
        ...Object.keys(environment),
        ...names.flatMap((file) =>
          namesIn(isDefaults(file) ? read(file) : (secrets[file.replace('secrets/', '')] ?? '')),
        ),
      ];
      const required = variables.filter((variable) => variable.required).map(({ name }) => name);
      expect(required.filter((name) => !set.includes(name))).toEqual([]);
      const known = variables.map(({ name }) => name);
      const defaults = names.filter(isDefaults).flatMap((file) => namesIn(read(file)));
      expect([...Object.keys(environment), ...defaults].filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  it.each(Object.entries(ANSWERING_VARIABLES))(
    'compose.yaml: gives %s what it cannot answer without, in a file that its own settings override',
    (app, names) => {
      const [defaults = '', own] = services[app]?.env_file ?? [];
      expect([defaults, own]).toEqual([`defaults/${app}.env`, `secrets/${app}.env`]);
      const lines = read(defaults).split('\n');
      expect(
        names.filter(
          (name) => !lines.some((line) => line.startsWith(`${name}=http`) || line === `${name}=1`),
        ),
      ).toEqual([]);
      // What stands in `environment` would win over both files.
      expect(names.filter((name) => name in (services[app]?.environment ?? {}))).toEqual([]);
    },
  );

  it('compose.yaml: gives the file of chain nodes to every app that reads nodes, and to no other', () => {
    const readers = [...readConfigurationTable()].filter(([, variables]) =>
      variables.some((variable) => isNamed(variable, 'RPC_URL_1')),
    );
    const given = Object.keys(services).filter((name) =>
      services[name]?.env_file.includes('secrets/nodes.env'),
    );
    expect(given.sort()).toEqual(readers.map(([name]) => name).sort());
  });

  it('npm run secrets: names in nodes.env only variables that apps read', () => {
    const known = [...readConfigurationTable().values()].flat();
    const examples = [...(secrets['nodes.env'] ?? '').matchAll(/^#(\w+)=/gm)].map(([, name = '']) => name);
    expect(examples.length).toBeGreaterThan(3);
    expect(examples.filter((name) => !known.some((variable) => isNamed(variable, name)))).toEqual([]);
  });
});
