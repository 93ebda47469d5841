import { Page } from '@app/auth';
import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PageFilter } from './page.filter.js';
import { PageSessionGuard } from './sessions/page-session.guard.js';

/** A controller that renders pages and shows errors as pages. */
export const PageController = (path: string): ClassDecorator =>
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
