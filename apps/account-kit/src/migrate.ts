import 'reflect-metadata';
import { runMigrateCommand } from '@app/database';
import { storage } from './database/storage.js';

void runMigrateCommand(storage);
