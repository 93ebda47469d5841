import type { AppError } from '@app/common';
import {
  describeWait,
  ErrorFilter,
  renderStaticPage,
  ServiceContext,
  STATIC_PAGE_HEADERS,
} from '@app/service';
import { Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DOCUMENTATION_PATH, EXPLORER_PATH } from '../own-paths.js';

/** Whether a client asks for a page rather than for JSON, as browsers do when they open an address. */
export const prefersPage = (request: Request): boolean => request.accepts(['json', 'html']) === 'html';

interface ErrorText {
  readonly title: string;
  readonly advice: string;
}

const UNAVAILABLE: ErrorText = {
  title: 'The service is unavailable',
  advice: 'The pages cannot be reached at the moment. What you have saved before is not lost.',
};

const TEXTS: Readonly<Record<number, ErrorText>> = {
  400: {
    title: 'The address is not valid',
    advice: 'Check the address for a typing error, or begin at one of these pages.',
  },
  404: {
    title: 'Page not found',
    advice: 'Check the address for a typing error, or begin at one of these pages.',
  },
  405: {
    title: 'This page opens in another way',
    advice: 'Go back and try again from the page that led here, or begin at one of these pages.',
  },
  413: {
    title: 'The request is too large',
    advice: 'Go back, shorten what you entered, and send it again.',
  },
  429: {
    title: 'Too many requests',
    advice:
      'This network address has loaded many pages within a short time. If others share it with you, they count, too.',
  },
  502: UNAVAILABLE,
  503: UNAVAILABLE,
  504: UNAVAILABLE,
};

const UNKNOWN: ErrorText = {
  title: 'Something went wrong',
  advice: 'Go back and try again. If it happens again, contact support.',
};

/** Pages to begin at, for errors that are about one address only. */
const LINKS = [
  { href: '/', text: 'Start page' },
  { href: '/portal/communities', text: 'Your communities' },
  { href: DOCUMENTATION_PATH, text: 'Documents' },
  { href: EXPLORER_PATH, text: 'API explorer' },
];
const STATUSES_WITH_LINKS = new Set([400, 404, 405]);

/** Renders errors as HTML for clients that prefer it, else as the error envelope. */
@Catch()
@Injectable()
export class PageErrorFilter extends ErrorFilter {
  constructor({ logger, config }: ServiceContext) {
    super(logger, config.NODE_ENV === 'development');
  }

  protected override send(error: AppError, request: Request, response: Response): void {
    response.vary('Accept');
    if (!prefersPage(request)) {
      super.send(error, request, response);
      return;
    }
    const { message, statusCode, details } = error;
    const { title, advice } = TEXTS[statusCode] ?? UNKNOWN;
    const retry =
      typeof details.retryAfter === 'number'
        ? [`Reload this page in ${describeWait(details.retryAfter)}.`]
        : [];
    const page = renderStaticPage({
      title,
      message,
      advice: [advice, ...retry],
      links: STATUSES_WITH_LINKS.has(statusCode) ? LINKS : [],
      details: [{ text: 'If you contact support, mention the request ID', value: request.requestId }],
    });
    response.set(STATIC_PAGE_HEADERS).type('html').end(page);
  }
}
