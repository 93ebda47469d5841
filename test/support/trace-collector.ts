import type { RequestListener } from 'node:http';
import { receiver } from './receiver.js';

export interface SeenSpan {
  app: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  links: { traceId: string }[];
}

interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeSpans: { spans: (Omit<SeenSpan, 'app' | 'links'> & { links?: SeenSpan['links'] })[] }[];
  }[];
}

const nameOf = ({ app, name }: SeenSpan): string => `${app}: ${name}`;

/** Stands in for an OpenTelemetry collector: takes traces by OTLP over HTTP, as JSON. */
export class TraceCollector {
  readonly spans: SeenSpan[] = [];
  /** Everything it was sent. */
  received = '';
  /** A listener that answers instead of the collector. */
  onRequest: RequestListener | undefined;

  private stopping: Promise<void> | undefined;

  private constructor(
    readonly url: string,
    private readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = await receiver((request, response) => {
      if (collector.onRequest) {
        collector.onRequest(request, response);
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        collector.read(request.url, Buffer.concat(chunks).toString('utf8'));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const collector = new TraceCollector(`http://127.0.0.1:${server.port}`, server.stop);
    return collector;
  }

  /** Stops the collector, once or more often. */
  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  /** @param name `<app>: <span>` */
  named(name: string): SeenSpan[] {
    return this.spans.filter((span) => nameOf(span) === name);
  }

  /** The first span of this name and those that it is part of, outermost first, as far as they have arrived. */
  pathTo(spanName: string): string[] {
    const span = this.spans.find(({ name }) => name === spanName);
    return span ? this.pathOf(span) : [];
  }

  /** A span and those that it is part of, outermost first, as far as they have arrived. */
  pathOf(last: SeenSpan): string[] {
    const path: string[] = [];
    let span: SeenSpan | undefined = last;
    while (span) {
      path.unshift(nameOf(span));
      const parentSpanId: string | undefined = span.parentSpanId;
      span = this.spans.find(({ spanId }) => spanId === parentSpanId);
    }
    return path;
  }

  private read(path: string | undefined, text: string): void {
    if (path !== '/v1/traces') return;
    this.received += text;
    for (const { resource, scopeSpans } of (JSON.parse(text) as Exported).resourceSpans) {
      const app = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const { spans } of scopeSpans)
        this.spans.push(...spans.map((span) => ({ links: [], ...span, app })));
    }
  }
}
