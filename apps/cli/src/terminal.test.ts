import { describe, expect, it } from 'vitest';
import { createTerminal, type OutputStream } from './terminal.ts';

function recorder(isTTY: boolean): OutputStream & { text: string } {
  return {
    isTTY,
    columns: 80,
    text: '',
    write(part) {
      this.text += part;
      return true;
    },
  };
}

describe('the terminal', () => {
  it('uses colours on a terminal', () => {
    expect(createTerminal(recorder(true), recorder(true), {}).paint('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  });

  it.each([
    ['in a pipe', false, {}],
    ['with NO_COLOR', true, { NO_COLOR: '1' }],
    ['on a dumb terminal', true, { TERM: 'dumb' }],
  ])('uses no colours %s', (_, isTTY, env) => {
    expect(createTerminal(recorder(isTTY), recorder(isTTY), env).paint('red', 'x')).toBe('x');
  });

  it('keeps the status line below lines that come in between', () => {
    const screen = recorder(true);
    const terminal = createTerminal(screen, screen, {});
    terminal.status('10 %');
    terminal.say('a worker died');
    expect(screen.text).toBe('\r\u001b[2K10 %\r\u001b[2Ka worker died\n10 %');
  });

  it('writes no control characters into a pipe', () => {
    const pipe = recorder(false);
    const terminal = createTerminal(pipe, pipe, {});
    terminal.status('10 %');
    terminal.say('news');
    terminal.clearStatus();
    expect(pipe.text).toBe('10 %\nnews\n');
  });
});
