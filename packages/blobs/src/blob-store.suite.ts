/** What every blob store must do, whatever it keeps its blobs in. Each adapter's test runs it on a store of its own. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BlobStore } from './blob-store.ts';

/** `open` returns an empty store, or one in which the names below are free. */
export function describeBlobStore(kind: string, open: () => Promise<BlobStore>): void {
  describe(`a ${kind} blob store`, () => {
    it('returns what was put, byte for byte', async () => {
      const store = await open();
      for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 10, 13]), randomBytes(300_000)]) {
        const ref = await store.put(`run_a/${bytes.length}`, bytes);
        expect((await store.get(ref))?.equals(bytes)).toBe(true);
      }
    });

    it('keeps names apart that look alike', async () => {
      const store = await open();
      const names = [
        'r/a',
        'r/A',
        'r/a/',
        'r/a/b',
        'r/a_b',
        'r/a%2Fb',
        'r/',
        'r/ä',
        'R/a',
        'r_/a',
        `r/${'x'.repeat(5000)}`,
      ];
      const refs = await Promise.all(names.map((name) => store.put(name, Buffer.from(name))));
      const found = await Promise.all(refs.map(async (ref) => (await store.get(ref))?.toString()));
      expect(found).toEqual(names);
    });

    it('replaces what has the same name', async () => {
      const store = await open();
      const first = await store.put('run_a/page', Buffer.from('old'));
      const second = await store.put('run_a/page', Buffer.from('new'));
      expect(second).toBe(first);
      expect((await store.get(first))?.toString()).toBe('new');
    });

    it('shows a reader the old bytes or the new while they are replaced', async () => {
      const store = await open();
      const versions = [Buffer.alloc(500_000, 'a'), Buffer.alloc(400_000, 'b')] as const;
      const ref = await store.put('run_a/page', versions[0]);
      const writing = Promise.all(versions.flatMap((v) => [1, 2, 3, 4].map(() => store.put('run_a/page', v))));
      const reads = await Promise.all(Array.from({ length: 40 }, () => store.get(ref)));
      await writing;
      expect(reads.every((read) => versions.some((version) => read?.equals(version)))).toBe(true);
    });

    it('has nothing under a reference that was deleted or never made', async () => {
      const store = await open();
      const [kept, gone] = [await store.put('run_a/1', Buffer.from('1')), await store.put('run_a/2', Buffer.from('2'))];
      await store.delete([gone, gone, 'run_a/none', '']);
      expect(await store.get(gone)).toBeNull();
      expect(await store.get('run_a/none')).toBeNull();
      expect(await store.get('')).toBeNull();
      expect((await store.get(kept))?.toString()).toBe('1');
    });

    it('deletes all of one run and nothing of another, however often', async () => {
      const store = await open();
      const ofRun = await Promise.all([1, 2, 3, 4, 5].map((n) => store.put(`run_a/${n}`, Buffer.from('x'))));
      const ofOther = await store.put('run_ab/1', Buffer.from('y'));
      await store.deletePrefix('run_a');
      await store.deletePrefix('run_a');
      expect(await Promise.all(ofRun.map((ref) => store.get(ref)))).toEqual([null, null, null, null, null]);
      expect((await store.get(ofOther))?.toString()).toBe('y');
      const again = await store.put('run_a/1', Buffer.from('z'));
      expect((await store.get(again))?.toString()).toBe('z');
    });

    it('knows the groups that begin so, each once, and none that is gone', async () => {
      const store = await open();
      for (const name of ['run_a/1', 'run_a/2', 'run_ab/1', 'src_run_/1']) await store.put(name, Buffer.from('x'));
      expect([...(await store.groups('run_'))].sort()).toEqual(['run_a', 'run_ab']);
      await store.deletePrefix('run_a');
      expect(await store.groups('run_')).toEqual(['run_ab']);
    });
  });
}
