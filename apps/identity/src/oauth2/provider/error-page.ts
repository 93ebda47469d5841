import { describeWait, renderStaticPage, STATIC_PAGE_HEADERS } from '@app/service';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

interface ErrorPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

interface SignInFailure {
  /** RFC 6749 section 5.2. */
  readonly error: string;
  readonly description?: string;
  /** Seconds, where this service could not answer for the moment and the application did nothing wrong. */
  readonly retryAfter?: number;
}

const APPLICATION_ADVICE = [
  'Go back to the application and try again. If it happens again, contact its developers and tell them what is written below.',
];

/** The error page for requests that must not be redirected, because the client or its redirect URI is invalid. */
export function createErrorPage({ error, description, retryAfter }: SignInFailure): ErrorPage {
  const isTemporary = retryAfter !== undefined;
  const html = renderStaticPage({
    title: isTemporary ? 'Signing in is not possible now' : 'Sign-in failed',
    message: isTemporary
      ? 'The application did nothing wrong: this service is busy or cannot reach a part of itself.'
      : 'The application sent an invalid sign-in request.',
    advice: isTemporary
      ? [
          `Wait ${describeWait(retryAfter)}, then load this page again. Your application keeps waiting for you.`,
        ]
      : APPLICATION_ADVICE,
    links: [{ href: '/', text: 'What is this service?' }],
    details: [
      { text: 'For developers:', value: description === undefined ? error : `${error}: ${description}` },
    ],
  });
  return { headers: STATIC_PAGE_HEADERS, html };
}

/** Sends the error page as oidc-provider's `renderError`. */
export function renderErrorPage(context: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  const { headers, html } = createErrorPage({ error, description: error_description });
  context.set(headers);
  context.type = 'html';
  context.body = html;
}
