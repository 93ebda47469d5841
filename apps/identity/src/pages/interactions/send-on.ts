import type { Response } from 'express';
import type { Visit } from '../session/visit.js';
import type { PageRenderer } from '../views/page-renderer.js';
import type { GoingOnView } from '../views/page-views.js';

interface WayOn extends GoingOnView {
  visit: Visit;
}

/**
 * Answers a form with a page that leads on by itself. A redirect would still belong to the form, and browsers hold every step
 * of those to the form's page's policy: an application that sends people on to yet another site would lose them.
 */
export function sendOn(pages: PageRenderer, response: Response, { visit, application, to }: WayOn): void {
  pages.send(response, 'going-on', { application, to }, { title: 'One moment', visit, leadsTo: to });
}
