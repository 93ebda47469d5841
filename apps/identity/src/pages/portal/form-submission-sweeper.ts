import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { FormSubmissionQueries } from './form-submissions.queries.js';

const SWEEP_INTERVAL_MS = 10_000;

/** Deletes expired form submissions, and secrets that no page has shown in time. */
@Injectable()
export class FormSubmissionSweeper extends Sweeper {
  constructor(context: ServiceContext, submissions: FormSubmissionQueries) {
    const tasks = [
      { name: 'delete expired form submissions', sweep: () => submissions.deleteExpired() },
      { name: 'delete secrets that were not shown', sweep: () => submissions.forgetUnshown() },
    ];
    super(context, tasks, SWEEP_INTERVAL_MS);
  }
}
