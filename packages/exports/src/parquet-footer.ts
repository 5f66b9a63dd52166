/**
 * The footer of a Parquet file, put together a row group at a time. `ParquetWriter` keeps what it has to say of each as objects, and
 * makes as many again of all of them at the end: for 50,000 pages that took 20 MB more. Here each is encoded at once, into a few kilobytes.
 *
 * The footer is one Thrift struct, whose list of row groups is a header and the groups one after the other. So the writer is asked for the
 * footer of a file with no group and of one with that group alone; what they do not share is the group.
 */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

type RowGroup = ParquetWriter['row_groups'][number];

export interface ParquetFooter {
  add(group: RowGroup): void;
  /** All that follows the last row group, to the end of the file. */
  end(): Buffer;
}

export interface ParquetFooterOptions {
  readonly schema: SchemaElement[];
  readonly createdBy: string;
}

const MAGIC = Buffer.from('PAR1');
/** Of the compact protocol: an `i64` field of the value 0, then a `list` field, each the next by number. */
const NO_ROWS_THEN_LIST = Buffer.from([0x16, 0x00, 0x19]);
const STRUCTS = 0x0c;
const LONG_LIST = 0xf0;

export function createParquetFooter(options: ParquetFooterOptions): ParquetFooter {
  const none = encode(options, []);
  let shared: { before: Buffer; after: Buffer } | null = null;
  // As texts, a character for a byte: buffers that stay, each between two that go, would keep what is around them from being used again.
  const groups: string[] = [];
  let rows = 0n;
  return {
    add(group) {
      const one = encode(options, [group]);
      shared ??= partsOf(none, one);
      groups.push(one.toString('latin1', shared.before.length + 1, one.length - shared.after.length));
      rows += group.num_rows;
    },
    end() {
      const metadata = shared === null ? none : join(shared, groups, rows);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(metadata.length);
      return Buffer.concat([metadata, length, MAGIC]);
    },
  };
}

/** With the number of rows left at 0. */
function encode({ schema, createdBy }: ParquetFooterOptions, groups: RowGroup[]): Buffer {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy });
  writer.row_groups = groups;
  // What it says is written on the spot, as nothing here waits.
  void writer.finish();
  return Buffer.from(bytes.getBytes()).subarray(MAGIC.length, -4 - MAGIC.length);
}

/** Everything up to the header of the list, which is one byte for none and another for one, and everything behind the list. */
function partsOf(none: Buffer, one: Buffer): { before: Buffer; after: Buffer } {
  const header = none.findIndex((byte, at) => byte !== one[at]);
  const before = none.subarray(0, header);
  const after = none.subarray(header + 1);
  const isAsExpected =
    before.subarray(-NO_ROWS_THEN_LIST.length).equals(NO_ROWS_THEN_LIST) &&
    one[header] === ((1 << 4) | STRUCTS) &&
    one.subarray(-after.length).equals(after);
  if (!isAsExpected) throw new Error('the footer of a Parquet file is not laid out as expected');
  return { before, after };
}

function join({ before, after }: { before: Buffer; after: Buffer }, groups: readonly string[], rows: bigint): Buffer {
  const header =
    groups.length < 15
      ? Buffer.from([(groups.length << 4) | STRUCTS])
      : Buffer.from([LONG_LIST | STRUCTS, ...varint(BigInt(groups.length))]);
  return Buffer.concat([
    before.subarray(0, -2),
    // Signed numbers go zigzag: twice as large where they are not negative.
    Buffer.from(varint(2n * rows)),
    before.subarray(-1),
    header,
    Buffer.from(groups.join(''), 'latin1'),
    after,
  ]);
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}
