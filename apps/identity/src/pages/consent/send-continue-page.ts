import type { Response } from 'express';
import type { PageSession } from '../sessions/page-session.js';
import type { PageRenderer } from '../views/page-renderer.js';
import type { ContinueView } from '../views/page-views.js';

interface ContinuePageOptions extends ContinueView {
  session: PageSession;
}

/**
 * Answers a form with a page that leads on by itself. A redirect would still belong to the form, and browsers hold every step
 * of those to the form's page's policy: an application that sends people on to yet another site would lose them.
 */
export function sendContinuePage(
  pages: PageRenderer,
  response: Response,
  { session, application, to }: ContinuePageOptions,
): void {
  pages.send(response, 'going-on', { application, to }, { title: 'One moment', session, refreshTo: to });
}
