/** Checks a number before it goes into a script, which would cut a fraction silently and count on with a NaN. */
export function wholeNumber(name: string, value: number, least: number): number {
  if (!Number.isSafeInteger(value) || value < least) throw new RangeError(`${name} can't be ${value}`);
  return value;
}
