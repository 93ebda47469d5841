import { createHash } from 'node:crypto';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import type { CsvTable } from './report-csv.js';
import { formatReport } from './format-report.js';

const createEntityTag = (text: string): string =>
  `"${createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')}"`;

/**
 * Sends rows as JSON, or as CSV to clients that prefer it. A GET has an ETag, with which Express answers 304 to clients that
 * have the same text.
 */
export class ReportFormatInterceptor<Row> implements NestInterceptor<Row[], string> {
  constructor(private readonly table: CsvTable<Row>) {}

  intercept(context: ExecutionContext, next: CallHandler<Row[]>): Observable<string> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const isCsv = request.accepts(['application/json', 'text/csv']) === 'text/csv';
    return next.handle().pipe(
      map((rows) => {
        const text = formatReport(this.table, rows, isCsv ? 'csv' : 'json');
        // A caller's own numbers, which a cache has to validate each time.
        response.set('Cache-Control', 'private, no-cache').vary('Accept');
        response.type(isCsv ? 'text/csv' : 'application/json');
        if (request.method === 'GET') response.set('ETag', createEntityTag(text));
        return text;
      }),
    );
  }
}
