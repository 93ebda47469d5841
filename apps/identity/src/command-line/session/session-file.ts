import { EXIT_CODES } from '@app/database';
import { z } from 'zod';
import { CommandLineError } from '../command-line.errors.js';
import { readPrivateFile, withFileLock, writePrivateFile } from './private-file.js';

const session = z.object({
  clientId: z.string(),
  accessToken: z.string(),
  /** Absent where the user refused access while they are away. */
  refreshToken: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
});
export type Session = z.output<typeof session>;

const sessions = z.object({ sessions: z.record(z.string(), session) });

/** The sessions of a user of this machine, one for each deployment. */
export class SessionFile {
  constructor(readonly file: string) {}

  read(origin: string): Session | undefined {
    return this.readAll()[origin];
  }

  /** @param session undefined removes it */
  async write(origin: string, session: Session | undefined): Promise<void> {
    await this.withLock(() => {
      this.writeLocked(origin, session);
      return Promise.resolve();
    });
  }

  /** Call it within `withLock`. */
  writeLocked(origin: string, session: Session | undefined): void {
    const { [origin]: _, ...others } = this.readAll();
    const all = session ? { ...others, [origin]: session } : others;
    writePrivateFile(this.file, `${JSON.stringify({ sessions: all }, undefined, 2)}\n`);
  }

  withLock<T>(work: () => Promise<T>): Promise<T> {
    return withFileLock(this.file, work);
  }

  private readAll(): Readonly<Record<string, Session>> {
    const text = readPrivateFile(this.file);
    if (text === undefined) return {};
    const parsed = sessions.safeParse(parseJson(text));
    if (parsed.success) return parsed.data.sessions;
    throw new CommandLineError(
      `${this.file} is not a file of sessions: remove it and sign in again.`,
      EXIT_CODES.data,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
