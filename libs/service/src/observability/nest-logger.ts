import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Logs Nest's own messages as JSON lines; its messages about modules and routes at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const error = message instanceof Error ? message : undefined;
    this.logger.error(
      { err: error, context: rest.at(-1), stack: error ? undefined : rest[0] },
      String(message),
    );
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal({ context: rest.at(-1) }, String(message));
  }
}
