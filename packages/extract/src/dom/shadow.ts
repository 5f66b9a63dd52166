/**
 * Shadow trees that stand in the markup (`<template shadowrootmode>`), put where a browser shows them: in place of what their host holds,
 * with that in their slots. What a browser has rendered is written down in the same way.
 */
import { type Element, type Node, rawText } from './node.ts';

/** Takes time in proportion to the number of nodes. What stands in slots of slots comes to be deeper than it was written: no deeper than `maxDepth`. */
export function composeShadows(root: Element, maxDepth: number): void {
  compose(root, []);
  limitDepth(root, maxDepth);
}

export const opensShadow = (element: Element): boolean =>
  element.name === 'template' && /^(?:open|closed)$/i.test(element.attribs.shadowrootmode ?? '');

/** `slots`: of the shadow tree that the element stands in, in their order. */
function compose(element: Element, slots: Element[]): void {
  const shadow = element.children.find((child): child is Element => child.tag !== null && opensShadow(child));
  for (const child of element.children) {
    // Any other template is not shown.
    if (child.tag === null || child.name === 'template') continue;
    if (child.name === 'slot') slots.push(child);
    compose(child, slots);
  }
  if (shadow !== undefined) attach(element, shadow);
}

function attach(host: Element, shadow: Element): void {
  const own: Element[] = [];
  compose(shadow, own);
  const assigned = Map.groupBy(
    host.children.filter((child) => child !== shadow),
    slotOf,
  );
  fill(host, shadow.children);
  for (const slot of own) {
    const name = slot.attribs.name ?? '';
    const nodes = assigned.get(name);
    // White space between elements is no reason to keep what a slot says by itself.
    if (nodes?.some((node) => node.tag !== null || rawText(node).trim() !== '')) fill(slot, nodes);
    // The first of two equal slots has it all.
    assigned.delete(name);
  }
}

const slotOf = (node: Node): string => (node.tag === null ? '' : (node.attribs.slot ?? ''));

function fill(element: Element, nodes: readonly Node[]): void {
  element.children.length = 0;
  for (const node of nodes) {
    node.parent = element;
    element.children.push(node);
  }
}

function limitDepth(element: Element, levels: number): void {
  if (levels === 0) flatten(element);
  else for (const child of element.children) if (child.tag !== null) limitDepth(child, levels - 1);
}

/** Everything below becomes a child, in document order: structure is lost, and no text. */
function flatten(element: Element): void {
  const flat: Node[] = [];
  const open = [element.children.values()];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { value: node, done } = level.next();
    if (done) {
      open.pop();
      continue;
    }
    flat.push(node);
    if (node.tag !== null) open.push(node.children.splice(0).values());
  }
  fill(element, flat);
}
