ALTER TABLE "pages" ADD COLUMN "raw_ref" text;--> statement-breakpoint
DROP VIEW chunks;
--> statement-breakpoint
CREATE VIEW chunks AS
SELECT pages.id AS page_id, chunk.id, chunk."index", chunk.text, chunk."headingPath" AS heading_path, chunk.tokens, chunk.start, chunk."end", chunk.overlap
FROM pages, json_to_recordset(pages.chunks) AS chunk(
  id text, "index" int, text text, "headingPath" json, tokens int, start int, "end" int, overlap int);
