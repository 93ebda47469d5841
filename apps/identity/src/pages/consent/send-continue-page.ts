import type { Response } from 'express';
import type { PageSession } from '../sessions/page-session.decorator.js';
import type { PageRenderer } from '../views/page-renderer.js';
import type { ContinueView } from '../views/page-views.js';

interface ContinuePageOptions extends ContinueView {
  session: PageSession;
}

/**
 * Answers a form with a page that redirects by meta refresh. Browsers apply the `form-action` policy of the form's page to
 * every HTTP redirect after it, which would block applications that redirect to further sites.
 */
export function sendContinuePage(
  pages: PageRenderer,
  response: Response,
  { session, application, to }: ContinuePageOptions,
): void {
  pages.send(response, 'continue', { application, to }, { title: 'Redirecting …', session, refreshTo: to });
}
