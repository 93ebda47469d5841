import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { apps } from '../../scripts/suite/apps.mjs';
import { root } from '../../scripts/build/project.mjs';

interface Project {
  readonly type: string;
  readonly root: string;
  readonly sourceRoot: string;
  readonly entryFile: string;
  readonly compilerOptions: { readonly tsConfigPath: string };
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

const { monorepo, projects } = readJson('nest-cli.json') as {
  monorepo: boolean;
  projects: Record<string, Project>;
};
const { devDependencies } = readJson('package.json') as { devDependencies: Record<string, string> };

describe('nest-cli.json', () => {
  it.each([
    { type: 'application', folder: 'apps', entryFile: 'main', config: 'tsconfig.app.json' },
    { type: 'library', folder: 'libs', entryFile: 'index', config: 'tsconfig.lib.json' },
  ])(
    'nest-cli.json: names every folder of $folder as a project of type $type',
    ({ type, folder, entryFile, config }) => {
      const ofType = Object.entries(projects).filter(([, project]) => project.type === type);
      expect(ofType.map(([name]) => name).toSorted()).toEqual(readdirSync(join(root, folder)).toSorted());
      for (const [name, project] of ofType) {
        expect(project).toMatchObject({
          root: `${folder}/${name}`,
          sourceRoot: `${folder}/${name}/src`,
          entryFile,
          compilerOptions: { tsConfigPath: `${folder}/${name}/${config}` },
        });
        expect(readJson(project.compilerOptions.tsConfigPath)).toMatchObject({
          extends: '../../tsconfig.build.json',
          include: ['src'],
        });
      }
    },
  );

  it('nest-cli.json: names the apps that npm start starts, in the mode of a monorepo', () => {
    expect(monorepo).toBe(true);
    const applications = Object.keys(projects).filter((name) => projects[name]?.type === 'application');
    expect(applications).toEqual(apps.map(({ name }) => name));
  });

  it('nest-cli.json: is read by a @nestjs/cli of an exact version, which npm ci installs', () => {
    expect(devDependencies['@nestjs/cli']).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
