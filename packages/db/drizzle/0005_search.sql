CREATE TABLE "search_chunks" (
	"page_id" bigint NOT NULL,
	"chunk_id" text NOT NULL,
	"index" integer NOT NULL,
	"heading_path" json NOT NULL,
	"tokens" integer NOT NULL,
	"text" text NOT NULL,
	"hash" uuid NOT NULL,
	"document" "tsvector" NOT NULL,
	CONSTRAINT "search_chunks_page_id_chunk_id_pk" PRIMARY KEY("page_id","chunk_id")
);
--> statement-breakpoint
CREATE TABLE "search_pages" (
	"page_id" bigint PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"rendition" uuid NOT NULL,
	"url" text NOT NULL,
	"path" text NOT NULL,
	"title" text,
	"language" text,
	"config" text NOT NULL,
	"problem" text
);
--> statement-breakpoint
CREATE TABLE "search_sources" (
	"source_id" text PRIMARY KEY NOT NULL,
	"lease" uuid,
	"leased_until" timestamp (3) with time zone,
	"covers_until" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"pass_ms" integer DEFAULT 0 NOT NULL,
	"pages" integer DEFAULT 0 NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "search_chunks" ADD CONSTRAINT "search_chunks_page_id_search_pages_page_id_fk" FOREIGN KEY ("page_id") REFERENCES "public"."search_pages"("page_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_pages" ADD CONSTRAINT "search_pages_page_id_pages_id_fk" FOREIGN KEY ("page_id") REFERENCES "public"."pages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_sources" ADD CONSTRAINT "search_sources_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "search_chunks_document" ON "search_chunks" USING gin ("document") WITH (gin_pending_list_limit=16384);--> statement-breakpoint
CREATE INDEX "search_pages_source" ON "search_pages" USING btree ("source_id","config");--> statement-breakpoint
CREATE INDEX "runs_finished" ON "runs" USING btree ("finished_at","source_id") WHERE "runs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "runs_source_finished" ON "runs" USING btree ("source_id","finished_at");--> statement-breakpoint
-- As the texts of pages: compressed with lz4, or, where the server has none, as they are.
DO $$
BEGIN
  ALTER TABLE search_chunks
    ALTER COLUMN text SET COMPRESSION lz4,
    ALTER COLUMN document SET COMPRESSION lz4;
EXCEPTION
  WHEN feature_not_supported OR invalid_parameter_value THEN
    ALTER TABLE search_chunks
      ALTER COLUMN text SET STORAGE EXTERNAL,
      ALTER COLUMN document SET STORAGE EXTERNAL;
END
$$;
