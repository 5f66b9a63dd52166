CREATE TABLE "pages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"source_id" text NOT NULL,
	"key" text NOT NULL,
	"key_hash" uuid NOT NULL,
	"url" text NOT NULL,
	"final_url" text NOT NULL,
	"title" text,
	"language" text,
	"content_type" text,
	"http_status" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"content_hash" text NOT NULL,
	"previous_hash" text,
	"rendition" uuid NOT NULL,
	"markdown" text,
	"text" text NOT NULL,
	"links" json NOT NULL,
	"metadata" json NOT NULL,
	"chunks" json NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"crawled_at" timestamp (3) with time zone NOT NULL,
	"last_run_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_pages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "run_pages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" text NOT NULL,
	"page_id" bigint,
	"key" text NOT NULL,
	"key_hash" uuid NOT NULL,
	"url" text NOT NULL,
	"final_url" text,
	"depth" integer NOT NULL,
	"parent_url" text,
	"outcome" text NOT NULL,
	"http_status" integer,
	"content_type" text,
	"title" text,
	"language" text,
	"bytes" bigint,
	"elapsed_ms" integer,
	"rendered" boolean DEFAULT false NOT NULL,
	"change" text,
	"content_hash" text,
	"duplicate_of" bigint,
	"crawled_at" timestamp (3) with time zone NOT NULL,
	"error" jsonb
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"source_id" text NOT NULL,
	"status" text NOT NULL,
	"sealed" boolean DEFAULT false NOT NULL,
	"config" jsonb NOT NULL,
	"idempotency_key" text,
	"request_hash" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"stats" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	CONSTRAINT "runs_idempotency_key_unique" UNIQUE("idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"config" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "pages" ADD CONSTRAINT "pages_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_pages" ADD CONSTRAINT "run_pages_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_pages" ADD CONSTRAINT "run_pages_page_id_pages_id_fk" FOREIGN KEY ("page_id") REFERENCES "public"."pages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "pages_identity" ON "pages" USING btree ("source_id","key_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "run_pages_identity" ON "run_pages" USING btree ("run_id","key_hash");--> statement-breakpoint
CREATE INDEX "run_pages_order" ON "run_pages" USING btree ("run_id","id");--> statement-breakpoint
CREATE INDEX "run_pages_outcome" ON "run_pages" USING btree ("run_id","outcome","id");--> statement-breakpoint
CREATE INDEX "run_pages_page" ON "run_pages" USING btree ("page_id");--> statement-breakpoint
CREATE INDEX "runs_newest" ON "runs" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "runs_status_newest" ON "runs" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "runs_source" ON "runs" USING btree ("source_id");--> statement-breakpoint
CREATE INDEX "runs_unfinished" ON "runs" USING btree ("created_at","id") WHERE "runs"."finished_at" is null;