import { closeSync, fstatSync, openSync } from 'node:fs';
import { readLines } from './log-file.mjs';

/** @typedef {{ level?: number | string, msg?: string, message?: string, err?: { message?: string }, error?: { message?: string } }} LogEntry */

const EVERY_MS = 300;
const AT_MOST_BYTES = 256 * 1024;
const WARN = 40;

/**
 * Shows what an app logs at level warn and above while it runs. The apps write into files and not through us, so
 * that the end of the start script does not take their output away while they drain.
 * @param {string} name
 * @param {string} file
 * @param {(line: string) => void} show
 * @returns {() => void} ends the watching
 */
export function watchLog(name, file, show) {
  const log = openSync(file, 'r');
  let seen = 0;
  const look = () => {
    const { size } = fstatSync(log);
    if (size === seen) return;
    for (const line of readLines(log, Math.max(seen, size - AT_MOST_BYTES), size)) {
      const text = warning(line);
      if (text !== undefined) show(`[${name}] ${text}`);
    }
    seen = size;
  };
  const timer = setInterval(look, EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    closeSync(log);
  };
}

/**
 * @param {string} line
 * @returns {string | undefined} the readable form of a JSON log line of level warn or above
 */
function warning(line) {
  /** @type {LogEntry | null} */
  let entry;
  try {
    entry = /** @type {LogEntry | null} */ (JSON.parse(line));
  } catch {
    return undefined; // not a log entry: it stays in the file
  }
  const severe =
    typeof entry?.level === 'number'
      ? entry.level >= WARN
      : /^(warn|error|fatal)/i.test(String(entry?.level));
  if (!severe || entry === null) return undefined;
  return [entry.msg ?? entry.message, entry.err?.message ?? entry.error?.message].filter(Boolean).join(': ');
}
