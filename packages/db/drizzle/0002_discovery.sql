CREATE TABLE "sitemap_entries" (
	"host" text NOT NULL,
	"key_hash" uuid NOT NULL,
	"url" text NOT NULL,
	"lastmod" timestamp (3) with time zone,
	"changefreq" text,
	"priority" real,
	"discovered_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sitemap_entries_host_key_hash_pk" PRIMARY KEY("host","key_hash")
);
--> statement-breakpoint
CREATE TABLE "sitemap_sites" (
	"host" text PRIMARY KEY NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	"sitemaps" jsonb NOT NULL
);
--> statement-breakpoint
DROP INDEX "run_pages_page";--> statement-breakpoint
DROP INDEX "runs_source";--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "body_hash" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "etag" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "last_modified" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "simhash" bigint;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "told_hash" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "change" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "gone_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "discovery" jsonb;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "schedule" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "timezone" text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "overlap" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "sitemap_entries_key" ON "sitemap_entries" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "pages_gone" ON "pages" USING btree ("source_id") WHERE "pages"."gone_at" is not null;--> statement-breakpoint
CREATE INDEX "pages_changes" ON "pages" USING btree ("source_id","changed_at","id") WHERE "pages"."changed_at" is not null;--> statement-breakpoint
CREATE INDEX "sources_newest" ON "sources" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "sources_scheduled" ON "sources" USING btree ("id") WHERE "sources"."schedule" is not null;--> statement-breakpoint
CREATE INDEX "run_pages_page" ON "run_pages" USING btree ("page_id","id");--> statement-breakpoint
CREATE INDEX "runs_source" ON "runs" USING btree ("source_id","created_at","id");