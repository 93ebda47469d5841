import { Page } from '@app/auth';
import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PageFilter } from './page.filter.js';
import { PageSessionGuard } from './sessions/page-session.guard.js';

/** A controller of pages for people. */
export const PageController = (path: string): ClassDecorator =>
  applyDecorators(
    Page(),
    ApiExcludeController(),
    UseGuards(PageSessionGuard),
    UseFilters(PageFilter),
    Controller(path),
  );

/** What the scripts of pages ask: the same guards, and failures as programs read them. */
export const ScriptController = (path: string): ClassDecorator =>
  applyDecorators(Page(), ApiExcludeController(), UseGuards(PageSessionGuard), Controller(path));
