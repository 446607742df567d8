import { afterAll } from 'vitest';
import { end } from './at-end.ts';

// As a setup file it runs for each file of tests.
afterAll(end);
