import { basename, extname } from 'node:path';
import { EXIT_CODES } from '@app/database';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { CommandLineError } from '../command-line.errors.js';
import { readPrivateFile, withFileLock, writePrivateFile } from '../session/private-file.js';

type Values = Readonly<Record<string, string>>;

const ENV_LINE = /^([A-Z][A-Z0-9_]*)=(.*)$/;
const HEADER = '# Secrets, written by `client apply`. Keep this file out of version control.';

const kubernetesSecret = z.object({ stringData: z.record(z.string(), z.string()).default({}) });

/** The name of a variable that stands for a text. */
export const toVariable = (prefix: string, text: string): string =>
  `${prefix}_${text
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')}`.replaceAll(/_+$/g, '');

/**
 * Where the secrets of one application stand: lines `NAME=value`, or a Kubernetes Secret where the name ends with `.yaml`. They are shown once
 * by the API, so each is written as soon as it arrives; nothing else of the file is changed.
 */
export class SecretFile {
  constructor(readonly file: string) {}

  /** @throws CommandLineError where others may read it, or where it is something else */
  read(): Values {
    const text = readPrivateFile(this.file);
    if (text === undefined) return {};
    return this.isManifest ? readManifest(this.file, text) : readEnv(text);
  }

  /** Two runs may write at once: the file is read again within the lock. @param values undefined removes one */
  async write(values: Readonly<Record<string, string | undefined>>): Promise<void> {
    await withFileLock(this.file, () => {
      const text = readPrivateFile(this.file);
      writePrivateFile(
        this.file,
        this.isManifest ? changeManifest(this.file, text, values) : changeEnv(text, values),
      );
      return Promise.resolve();
    });
  }

  private get isManifest(): boolean {
    return ['.yaml', '.yml'].includes(extname(this.file));
  }
}

const readEnv = (text: string): Values =>
  Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [, name, value] = ENV_LINE.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );

function changeEnv(text: string | undefined, values: Readonly<Record<string, string | undefined>>): string {
  const kept = (text ?? HEADER).split(/\r?\n/).filter((line) => {
    const name = ENV_LINE.exec(line)?.[1];
    return line !== '' && (name === undefined || !Object.hasOwn(values, name));
  });
  const added = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return `${[...kept, ...added].join('\n')}\n`;
}

function readManifest(file: string, text: string): Values {
  const parsed = kubernetesSecret.safeParse(parseDocument(text).toJS());
  if (parsed.success) return parsed.data.stringData;
  throw new CommandLineError(`${file} is not the manifest of a Secret with stringData.`, EXIT_CODES.data);
}

function changeManifest(
  file: string,
  text: string | undefined,
  values: Readonly<Record<string, string | undefined>>,
): string {
  const name = basename(file, extname(file))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-');
  const document = parseDocument(
    text ??
      `${HEADER}\napiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\ntype: Opaque\nstringData: {}\n`,
  );
  const known = readManifest(file, document.toString());
  const all = Object.entries({ ...known, ...values }).filter(([, value]) => value !== undefined);
  document.set('stringData', document.createNode(Object.fromEntries(all)));
  return document.toString();
}
