ALTER TABLE "pages" DROP COLUMN "previous_hash";--> statement-breakpoint
-- What is there has been seen by whoever reads it.
UPDATE "pages" SET "told_hash" = "content_hash";