/** Becomes, as far as a process can, another program: its terminal, its signals, its exit code. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function handOver(node, args, root) {
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const env = {
    // A stack is nine processes of nearly the same modules, whose types are taken off and which are compiled once instead of at each start.
    NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
    ...process.env,
    PATH: path,
  };
  const child = spawn(node, args, { cwd: root, stdio: 'inherit', env });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => {
    // Ctrl+C has reached the child already. A second one would mean "stop at once" to it.
    if (signal === 'SIGINT' && isForeground()) return;
    child.kill(signal);
  };
  // Having a listener also keeps us alive until the child has finished its own way of stopping.
  for (const signal of signals) process.on(signal, forward);
  child.once('error', (error) => {
    process.stderr.write(`${node} can't be run: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    for (const name of signals) process.off(name, forward);
    // Ended by a signal: end by it too, so that the shell sees what happened.
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
}

/** Is our process group the one the terminal sends its Ctrl+C to? */
function isForeground() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // After the name in parentheses: state, parent, process group, session, terminal, the terminal's foreground group.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    // No /proc on this system: a terminal on our input is the best sign there is.
    return process.stdin.isTTY === true;
  }
}
