// Prints the main figures of all benches, from the results that are kept.
import { keptBars } from './figures.ts';

console.table(keptBars());
