import { Page } from '@app/auth';
import {
  applyDecorators,
  Controller,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Injectable,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PageSessionGuard } from './sessions/page-session.guard.js';
import type { AppError } from '@app/common';
import { describeWait, getHeader, logServerError, ServiceContext, toAppError } from '@app/service';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../common/identity.config.js';
import {
  HOME_PATH,
  isReviewReturnPath,
  toLoginPath,
  toPagePath,
  toSignedOutPath,
} from './sessions/login-path.js';
import {
  LoginHostRequiredError,
  SignedOutError,
  SignInRequiredError,
} from './sessions/page-session.errors.js';
import type { PageUser } from './sessions/page-session.decorator.js';
import { shortenAccount } from '../users/wallets/wallet.js';
import { PageRenderer } from './views/page-renderer.js';
import type { NextPage } from './views/page-views.js';

/** Renders errors as pages. Redirects to the login page or the login host where required. */
@Catch()
@Injectable()
class PageFilter implements ExceptionFilter {
  constructor(
    private readonly pages: PageRenderer,
    private readonly context: ServiceContext,
    private readonly urls: PublicUrlsConfig,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (thrown instanceof SignInRequiredError) {
      const { returnPath, requiresNewLogin: again } = thrown;
      const ended = request.method === 'POST' && !again;
      response.redirect(303, toLoginPath(this.getReturnPath(request, returnPath), { again, ended }));
      return;
    }
    if (thrown instanceof LoginHostRequiredError) {
      response.redirect(303, thrown.url);
      return;
    }
    if (thrown instanceof SignedOutError) {
      response.redirect(303, toSignedOutPath(thrown.returnPath));
      return;
    }
    this.sendProblem(toAppError(thrown), request, response);
  }

  private sendProblem(error: AppError, request: Request, response: Response): void {
    const { statusCode, message, details } = error;
    const { requestId, pageSession: session } = request;
    logServerError(this.context.logger, error, requestId);
    const { retryAfter } = details;
    if (typeof retryAfter === 'number') response.setHeader('Retry-After', String(retryAfter));
    const isForm = request.method === 'POST';
    const view = {
      message,
      requestId,
      keepsForm: isForm,
      advice: describeAdvice(error, isForm, session?.user),
      next: listNextPages(error, request, this.getFormPath(request)),
    };
    const title =
      details['code'] === 'csrf_token_invalid'
        ? 'This page has expired'
        : (TITLES[statusCode] ?? 'Something went wrong');
    this.pages.send(response, 'problem', view, { title, status: statusCode, session });
  }

  /** The page to return to after the login: the requested page, or the one with the submitted form. */
  private getReturnPath(request: Request, path: string): string {
    return request.method === 'GET' ? path : this.getFormPath(request);
  }

  /** The page with the submitted form and what it shows, as its browser names it. */
  private getFormPath(request: Request): string {
    const referer = getHeader(request, 'referer') ?? '';
    if (!URL.canParse(referer)) return HOME_PATH;
    const { origin, pathname, search } = new URL(referer);
    const path = toPagePath(pathname + search);
    return origin === new URL(this.urls.authUrl).origin && isReviewReturnPath(path) ? path : HOME_PATH;
  }
}

const TITLES: Record<number, string> = {
  400: 'Invalid request',
  403: 'Access denied',
  404: 'Page not found',
  409: 'Conflict',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
};

/** What the head of a page calls its user. */
const nameUser = ({ shownName, account }: PageUser): string =>
  shownName ?? (account === null ? 'a user of a passkey' : shortenAccount(account));

/** What a person can do now, in one paragraph. */
function describeAdvice(
  { statusCode, details }: AppError,
  isForm: boolean,
  user: PageUser | undefined,
): string {
  const wait = typeof details['retryAfter'] === 'number' ? describeWait(details['retryAfter']) : 'a minute';
  switch (statusCode) {
    case 403:
      if (isForm && user && details['code'] === 'csrf_token_invalid')
        return `Nothing was changed. You are signed in as ${nameUser(user)} now, and opened this form before that, perhaps as somebody else. Look at who you are before you send it again.`;
      if (isForm) return 'Nothing was changed.';
      return user
        ? 'If another of your wallets may open this page, sign in with that one.'
        : 'Sign in with a wallet that may open this page.';
    case 404:
      if (details['code'] === 'rule_not_found') return 'Nothing was changed.';
      return 'It may have been removed, or the address has a typing error.';
    case 429:
    case 503:
      return isForm ? `Wait ${wait}, then send the form again.` : `Wait ${wait}, then load this page again.`;
    default:
      return isForm
        ? 'Go back, correct the form and send it again.'
        : 'Go back to where you came from and try again.';
  }
}

/** The page of the rules of a community, in the paths of the pages on which a rule is changed or removed. */
const RULES_PATH = /^\/portal\/communities\/[^/]+\/rules/;

/** The pages that lead on, the most likely one first. */
function listNextPages({ statusCode, details }: AppError, request: Request, formPath: string): NextPage[] {
  const path = toPagePath(request.originalUrl);
  const rulesPath = RULES_PATH.exec(path)?.[0];
  const isSignedIn = request.pageSession?.user !== undefined;
  const home = isSignedIn
    ? { href: HOME_PATH, text: 'Go to the portal' }
    : { href: '/', text: 'Go to the start page' };
  if (request.method === 'POST') return [{ href: formPath, text: 'Return to the form' }, home];
  if (statusCode === 429 || statusCode === 503) return [{ href: path, text: 'Load the page again' }, home];
  if (statusCode === 404 && details['code'] === 'rule_not_found' && rulesPath !== undefined)
    return [{ href: rulesPath, text: 'Look at the rules' }, home];
  if (statusCode !== 403) return [home];
  return [home, { href: toLoginPath(path, { again: true }), text: 'Sign in with another wallet' }];
}

/** A controller that renders pages and shows errors as pages. */
export const PageController = (path: string | string[]): ClassDecorator =>
  applyDecorators(
    Page(),
    ApiExcludeController(),
    UseGuards(PageSessionGuard),
    UseFilters(PageFilter),
    Controller(path),
  );

/** A controller for the pages' scripts: the same guard, but JSON errors. */
export const ScriptController = (path: string): ClassDecorator =>
  applyDecorators(Page(), ApiExcludeController(), UseGuards(PageSessionGuard), Controller(path));
